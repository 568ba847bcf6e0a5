/**
 * Joins an `xml:base` to the one above it (Canonical XML 1.1 §2.4): RFC 3986 §5.2 changed so that relative references
 * stay relative and nothing is lost above the root.
 */
export function joinBase(base: string, reference: string): string {
  const above = split(base);
  const own = split(reference);
  if (own.scheme !== undefined) return unite({ ...own, path: withoutDots(own.path) });
  if (own.authority !== undefined)
    return unite({ ...own, scheme: above.scheme, path: withoutDots(own.path) });
  const scope = { scheme: above.scheme, authority: above.authority };
  if (own.path === '')
    return unite({ ...scope, path: withoutDots(above.path), query: own.query ?? above.query });
  if (own.path.startsWith('/')) return unite({ ...scope, path: withoutDots(own.path), query: own.query });
  return unite({ ...scope, path: withoutDots(merge(above, own.path)), query: own.query });
}

interface Reference {
  readonly scheme?: string | undefined;
  readonly authority?: string | undefined;
  readonly path: string;
  readonly query?: string | undefined;
}

/** RFC 3986 appendix B, the fragment left out. */
function split(reference: string): Reference {
  const match = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/.exec(reference);
  return { scheme: match?.[1], authority: match?.[2], path: match?.[3] ?? '', query: match?.[4] };
}

function unite({ scheme, authority, path, query }: Reference): string {
  return (
    (scheme === undefined ? '' : `${scheme}:`) +
    (authority === undefined ? '' : `//${authority}`) +
    path +
    (query === undefined ? '' : `?${query}`)
  );
}

function merge(base: Reference, path: string): string {
  if (base.authority !== undefined && base.path === '') return `/${path}`;
  // A base that ends in `..` names a folder, so that nothing of it may be dropped.
  const folder = /(?:^|\/)\.\.$/.test(base.path) ? `${base.path}/` : base.path;
  return folder.slice(0, folder.lastIndexOf('/') + 1) + path;
}

/** Removes `.` and `..`, keeping leading `..` of relative paths and collapsing `//`. */
function withoutDots(path: string): string {
  const absolute = path.startsWith('/');
  const segments = path.split('/');
  const kept: string[] = [];
  let folder = false;
  for (const segment of segments) {
    folder = segment === '' || segment === '.' || segment === '..';
    if (segment === '..' && kept.length > 0 && kept[kept.length - 1] !== '..') kept.pop();
    else if (segment === '..' && !absolute) kept.push(segment);
    else if (!folder) kept.push(segment);
  }
  const joined = kept.join('/');
  const closing = folder && joined !== '' ? '/' : '';
  return (absolute ? '/' : '') + joined + closing;
}
