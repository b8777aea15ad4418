import { Option } from 'commander';
import { InvalidFieldError } from '../platform/errors/domain-error.js';

const DEFAULT_LIMIT = 100;

/** `--limit`: how many items a command lists at most. */
export function limitOption(): Option {
  return new Option('--limit <n>', 'maximum number').default(DEFAULT_LIMIT).argParser(readLimit);
}

function readLimit(limit: string): number {
  if (!/^[1-9]\d{0,4}$/.test(limit)) throw new InvalidFieldError('limit', 'must be a whole number from 1 to 99999');
  return Number(limit);
}
