import { csvLine, guardFormula } from '../../platform/csv/csv-text.js';
import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import type { AuditEntryView } from './audit-entries.js';

export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Media types by format. */
export const EXPORT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
};

const COLUMNS = ['id', 'at', 'actorKind', 'actorId', 'action', 'targetKind', 'targetId', 'requestId', 'details'];

/** @throws InvalidFieldError */
export function readExportFormat(value: unknown = 'csv'): ExportFormat {
  const format = EXPORT_FORMATS.find((known) => known === value);
  if (!format) throw new InvalidFieldError('format', `must be one of ${EXPORT_FORMATS.join(', ')}`);
  return format;
}

/** The entries as a file, in pieces. CSV has a header row. */
export async function* exportAudit(
  format: ExportFormat,
  pages: AsyncIterable<readonly AuditEntryView[]>,
): AsyncGenerator<string> {
  let head = format === 'csv' ? csvLine(COLUMNS) : '';
  const toLine = format === 'csv' ? csvOf : (entry: AuditEntryView) => `${JSON.stringify(entry)}\n`;
  for await (const entries of pages) {
    yield head + entries.map(toLine).join('');
    head = '';
  }
}

function csvOf({ id, at, actor, action, target, requestId, details }: AuditEntryView): string {
  const cells = [id, at, actor.kind, actor.id, action, target.kind, target.id ?? '', requestId ?? ''];
  return csvLine([...cells, details === null ? '' : JSON.stringify(details)].map(guardFormula));
}
