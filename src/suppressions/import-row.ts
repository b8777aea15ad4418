import { maxLength } from 'class-validator';
import { unguardFormula } from '../platform/csv/csv-text.js';
import { MissingColumnError } from '../platform/csv/missing-column-error.js';
import { RepeatedColumnError } from '../platform/csv/repeated-column-error.js';
import { parseMailbox } from '../emails/mailbox.js';
import { SUPPRESSION_REASONS } from '../events/recipient-event.js';
import type { SuppressionInput } from './insert-suppressions.js';
import { MAX_NOTE } from './suppression-requests.js';
import { isSuppressionReason } from './suppression-view.js';

/** Position of each column in a row; a missing optional column has -1. */
export interface ImportColumns {
  readonly address: number;
  readonly reason: number;
  readonly note: number;
}

/**
 * Finds the columns by the header row, ignoring case. Others are ignored.
 * @throws MissingColumnError, RepeatedColumnError
 */
export function readImportColumns(header: readonly string[]): ImportColumns {
  const names = header.map((name) => name.trim().toLowerCase());
  const columns = { address: names.indexOf('address'), reason: names.indexOf('reason'), note: names.indexOf('note') };
  if (columns.address < 0) throw new MissingColumnError('address', header);
  const repeated = Object.keys(columns).find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (repeated !== undefined) throw new RepeatedColumnError(repeated);
  return columns;
}

/**
 * If the row is invalid, returns the reason, as the end of a sentence about its line.
 * @param fields from `decodedPieces`; those of other columns may be in any encoding
 */
export function readImportRow(fields: readonly string[], columns: ImportColumns): SuppressionInput | string {
  const address = fields[columns.address] ?? '';
  if (!address.isWellFormed()) return 'address must be UTF-8';
  const mailbox = parseMailbox(unguardFormula(address.trim()));
  if (!mailbox) return 'address must be one email address like jane@example.com';
  const reason = (fields[columns.reason] ?? '').trim().toLowerCase() || 'manual';
  if (!isSuppressionReason(reason)) return `reason must be one of ${SUPPRESSION_REASONS.join(', ')}`;
  const note = unguardFormula((fields[columns.note] ?? '').trim());
  if (!maxLength(note, MAX_NOTE)) return `note must have at most ${MAX_NOTE} characters`;
  if (!note.isWellFormed()) return 'note must be UTF-8';
  if (note.includes('\0')) return 'note must not contain NUL characters';
  return { address: mailbox.address, reason, note: note || null };
}
