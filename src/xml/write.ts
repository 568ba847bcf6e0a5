/** Values as canonical form writes them. */

const textEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\r': '&#xD;',
};
const attributeEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

/** `value` as text of an element, in canonical form. */
export function escapeText(value: string): string {
  return /[&<>\r]/.test(value) ? value.replace(/[&<>\r]/g, (char) => textEscapes[char] ?? char) : value;
}

/** `value` as an attribute value between double quotes, in canonical form. */
export function escapeAttribute(value: string): string {
  return /[&<"\t\n\r]/.test(value)
    ? value.replace(/[&<"\t\n\r]/g, (char) => attributeEscapes[char] ?? char)
    : value;
}
