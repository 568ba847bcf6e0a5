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

/** Whether the `length` bytes at `left` and at `right` are the same; four at a time where there are four. */
export function sameBytes(view: DataView, left: number, right: number, length: number): boolean {
  if (length < 4) {
    for (let at = 0; at < length; at++) {
      if (view.getUint8(left + at) !== view.getUint8(right + at)) return false;
    }
    return true;
  }
  const last = length - 4;
  for (let at = 0; at < last; at += 4) {
    if (view.getInt32(left + at) !== view.getInt32(right + at)) return false;
  }
  // The last four, of which some may have been compared already.
  return view.getInt32(left + last) === view.getInt32(right + last);
}
