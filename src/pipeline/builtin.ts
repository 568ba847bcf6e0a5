/** The steps that are built in. To add one: a file in `steps/` and a line here. */
export { checkTimestamp } from './steps/check-timestamp.js';
export { decrypt } from './steps/decrypt.js';
export { encrypt } from './steps/encrypt.js';
export { replay } from './steps/replay.js';
export { require } from './steps/require.js';
export { sign } from './steps/sign.js';
export { strip } from './steps/strip.js';
export { timestamp } from './steps/timestamp.js';
export { verify } from './steps/verify.js';
