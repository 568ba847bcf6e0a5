/** Names in policies (design/policy.md): of keys, trusts, services and steps. Later versions give the reserved ones a meaning. */

/** The pattern as text, for patterns that hold a name among others. */
export const nameText = '(?!request-|session|saml|(?:any|none)$)[a-z][a-z0-9-]*';

export const namePattern: RegExp = new RegExp(`^${nameText}$`);

export const nameRule =
  'a name of a-z, 0-9 and -, that begins with a letter and not with request-, session or saml, and is not any or none';
