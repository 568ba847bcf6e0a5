const texts: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'what should be a folder is none',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8',
};

/** Why a file could not be opened, read or written, in words where there are some. @param error what Node threw */
export function fileProblem(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('code' in error && typeof error.code === 'string') return texts[error.code] ?? error.code;
  return 'message' in error ? String(error.message) : 'unknown reason';
}
