import type { StepRecord } from '../core/timer.js';
import type { TimingRecord } from '../pipeline/index.js';

/**
 * A timing record as one line of JSON. Written by hand: it is made twice for every exchange, and `JSON.stringify`
 * takes five times as long. Only what a peer or a policy file can choose needs escaping.
 */
export function recordLine(record: TimingRecord): string {
  const { bytes } = record;
  let line = `{"msg":"exchange","time":"${record.time}","id":"${record.id}","service":${quoted(record.service)},"chain":"${record.chain}","outcome":"${record.outcome}"`;
  if (record.code !== undefined) line += `,"code":"${record.code}"`;
  if (record.step !== undefined) line += `,"step":${quoted(record.step)}`;
  line += `,"provider":"${record.provider}"`;
  if (record.operation !== undefined) line += `,"operation":${quoted(record.operation)}`;
  if (record.peer !== undefined) line += `,"peer":${quoted(record.peer)}`;
  line += `,"bytes":{"in":${bytes.in},"out":${bytes.out}},"total_us":${record.total_us}`;
  if (record.upstream_us !== undefined) line += `,"upstream_us":${record.upstream_us}`;
  if (record.loop_us !== undefined) line += `,"loop_us":${record.loop_us}`;
  if (record.cpu_us !== undefined) line += `,"cpu_us":${record.cpu_us}`;
  let separator = ',"steps":[';
  for (const step of record.steps) {
    line += separator + stepText(step);
    separator = ',';
  }
  return `${line}${record.steps.length === 0 ? ',"steps":[' : ''}]}`;
}

function stepText({ step, start_us, us, key, provider, parts }: StepRecord): string {
  let text = `{"step":${quoted(step)},"start_us":${start_us},"us":${us}`;
  if (key !== undefined) text += `,"key":${quoted(key)}`;
  if (provider !== undefined) text += `,"provider":"${provider}"`;
  if (parts !== undefined) {
    let separator = ',"parts":{';
    for (const part in parts) {
      text += `${separator}"${part}":${parts[part as keyof typeof parts] ?? 0}`;
      separator = ',';
    }
    text += '}';
  }
  return `${text}}`;
}

const plain = /^[\w#:=,. /@+-]*$/;

/** Names without anything to escape are the rule. */
const quoted = (text: string): string => (plain.test(text) ? `"${text}"` : JSON.stringify(text));
