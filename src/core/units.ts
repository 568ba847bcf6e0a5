/** Durations and sizes as policy files write them. No schema library: every layer may use these. */

/** `300ms`, `30s`, `5m`, `24h`. */
export const durationPattern: RegExp = /^(0|[1-9][0-9]{0,8})(ms|s|m|h)$/;
/** `512KiB`, `4MiB`, `1GiB`. */
export const sizePattern: RegExp = /^([1-9][0-9]{0,6})(KiB|MiB|GiB)$/;

const millis: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const octets: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** A duration in milliseconds. @throws RangeError when `text` is not one: the schema has checked it before */
export function parseDuration(text: string): number {
  const [, count, unit = ''] = durationPattern.exec(text) ?? [];
  const factor = millis[unit];
  if (factor === undefined) throw new RangeError(`not a duration: ${text}`);
  return Number(count) * factor;
}

/** A size in bytes. @throws RangeError when `text` is not one: the schema has checked it before */
export function parseSize(text: string): number {
  const [, count, unit = ''] = sizePattern.exec(text) ?? [];
  const factor = octets[unit];
  if (factor === undefined) throw new RangeError(`not a size: ${text}`);
  return Number(count) * factor;
}

/** The shortest exact writing of a duration: 300000 → `5m`. */
export function formatDuration(duration: number): string {
  if (duration === 0) return '0s';
  for (const unit of ['h', 'm', 's'] as const) {
    const factor = millis[unit] ?? 1;
    if (duration % factor === 0) return `${duration / factor}${unit}`;
  }
  return `${duration}ms`;
}

/** The shortest exact writing of a size, or undefined where it is no whole number of KiB: 4194304 → `4MiB`. */
export function formatSize(bytes: number): string | undefined {
  for (const unit of ['GiB', 'MiB', 'KiB'] as const) {
    const factor = octets[unit] ?? 1;
    if (bytes > 0 && bytes % factor === 0) return `${bytes / factor}${unit}`;
  }
  return undefined;
}
