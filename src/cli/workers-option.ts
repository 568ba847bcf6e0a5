import { InvalidArgumentError } from 'commander';

/** Reads the value of `--workers`. */
export function workersOption(text: string): number {
  if (/^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= 256) return Number(text);
  throw new InvalidArgumentError('It must be a number from 1 to 256.');
}
