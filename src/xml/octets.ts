/** Bytes, and a view of the same memory: it reads and writes four at a time, aligned or not, without a call. */
export interface Octets {
  readonly bytes: Buffer;
  readonly view: DataView;
}

export function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

export function octetsOf(bytes: Buffer): Octets {
  return { bytes, view: viewOf(bytes) };
}

/** Copies four bytes at a time, which is cheaper than a call for a short run; the last four may overlap the others. */
export function copyShort(
  from: DataView,
  start: number,
  target: DataView,
  offset: number,
  length: number,
): void {
  if (length < 4) {
    for (let at = 0; at < length; at++) target.setUint8(offset + at, from.getUint8(start + at));
    return;
  }
  const last = length - 4;
  for (let at = 0; at < last; at += 4) target.setInt32(offset + at, from.getInt32(start + at));
  target.setInt32(offset + last, from.getInt32(start + last));
}

/** Whether the `length` bytes from `start` in `left` and from `from` in `right` are the same; four at a time. */
export function sameBytes(
  left: DataView,
  start: number,
  right: DataView,
  from: number,
  length: number,
): boolean {
  if (length < 4) {
    for (let at = 0; at < length; at++) {
      if (left.getUint8(start + at) !== right.getUint8(from + at)) return false;
    }
    return true;
  }
  const last = length - 4;
  for (let at = 0; at < last; at += 4) {
    if (left.getInt32(start + at) !== right.getInt32(from + at)) return false;
  }
  // The last four, of which some may have been compared already.
  return left.getInt32(start + last) === right.getInt32(from + last);
}
