import { ArrayMaxSize, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { readSearch } from '../platform/http/search-parameter.js';
import { IsWellFormed } from '../platform/http/storable-text.js';
import { parseMailbox } from '../emails/mailbox.js';
import { SUPPRESSION_REASONS, type SuppressionReason } from '../events/recipient-event.js';
import type { SuppressionInput } from './insert-suppressions.js';
import { isSuppressionReason } from './suppression-view.js';

export const MAX_NOTE = 1_000;
export const MAX_ADDRESSES = 1_000;

export class AddSuppressionsRequest {
  @IsOptional()
  @IsString({ message: 'address must be a string' })
  address?: string;

  @IsOptional()
  @IsString({ each: true, message: 'addresses must be an array of strings' })
  @ArrayMaxSize(MAX_ADDRESSES, { message: `addresses must be an array of at most ${MAX_ADDRESSES} addresses` })
  addresses?: string[];

  @IsOptional()
  @IsIn(['manual'], { message: 'reason must be manual: the other reasons come from reports about mail' })
  reason?: 'manual';

  @IsOptional()
  @IsWellFormed()
  @MaxLength(MAX_NOTE, { message: `note must have at most ${MAX_NOTE} characters` })
  @IsString({ message: 'note must be a string' })
  note?: string;
}

/** @throws InvalidFieldError for an invalid address, or without one */
export function readAddedSuppressions({ address, addresses = [], note }: AddSuppressionsRequest): SuppressionInput[] {
  if (address === undefined && addresses.length === 0)
    throw new InvalidFieldError('address', 'or addresses is required');
  const reasons = { reason: 'manual' as const, note: note ?? null };
  return [
    ...(address === undefined ? [] : [{ address: readAddress('address', address), ...reasons }]),
    ...addresses.map((text, index) => ({ address: readAddress(`addresses.${index}`, text), ...reasons })),
  ];
}

export interface SuppressionFilter {
  /** Part of the address, ignoring case; may be empty. */
  readonly search: string;
  /** The one that the entry shows. */
  readonly reason?: SuppressionReason;
}

/** @throws InvalidFieldError */
export function readSuppressionFilter(query: Readonly<Record<string, unknown>>): SuppressionFilter {
  const search = readSearch(query);
  const { reason } = query;
  if (reason === undefined) return { search };
  if (!isSuppressionReason(reason))
    throw new InvalidFieldError('reason', `must be one of ${SUPPRESSION_REASONS.join(', ')}`);
  return { search, reason };
}

function readAddress(field: string, text: string): string {
  const mailbox = parseMailbox(text);
  if (!mailbox) throw new InvalidFieldError(field, 'must be one email address like jane@example.com');
  return mailbox.address;
}
