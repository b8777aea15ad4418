import type { ScenarioResult } from './run-scenario.js';

const COLUMNS: readonly [title: string, value: (row: ScenarioResult) => string | number][] = [
  ['', ({ id }) => id],
  ['injected', ({ fault }) => fault],
  ['accepted', ({ accepted }) => accepted],
  ['delivered', ({ delivered }) => delivered],
  ['flagged duplicates', ({ flaggedDuplicates }) => flaggedDuplicates],
  ['unflagged duplicates', ({ unflaggedDuplicates }) => unflaggedDuplicates],
  ['failed', ({ failed }) => failed],
  ['lost', ({ lost }) => lost],
  ['events', ({ events }) => events],
  ['events lost', ({ eventsLost }) => eventsLost],
  ['events duplicated', ({ eventsDuplicated }) => eventsDuplicated],
  ['slowest send / hit', ({ slowest }) => `${inSeconds(slowest.send)} / ${inSeconds(slowest.hit)}`],
  ['recovered after', ({ recoveredMs }) => (recoveredMs === undefined ? 'never' : inSeconds(recoveredMs))],
  ['invariants', describeInvariants],
];

/** A Markdown table with one row per fault, then notes and violations. */
export function formatReport(rows: readonly ScenarioResult[]): string {
  const cells = [COLUMNS.map(([title]) => title), ...rows.map((row) => COLUMNS.map(([, value]) => String(value(row))))];
  const widths = COLUMNS.map((_, column) => Math.max(3, ...cells.map((line) => line[column]!.length)));
  const lines = cells.map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`);
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return [...lines, ...rows.flatMap(describeRemarks)].join('\n');
}

function describeInvariants({ violations, skipped }: ScenarioResult): string {
  if (skipped !== undefined) return `skipped: ${skipped}`;
  return violations.length === 0 ? 'hold' : `${violations.length} violated`;
}

function describeRemarks({ id, notes, violations }: ScenarioResult): string[] {
  const shown = violations.slice(0, 10);
  const more = violations.length > shown.length ? [`… and ${violations.length - shown.length} more`] : [];
  return [
    ...notes.map((note) => `${id}: ${note}`),
    ...[...shown, ...more].map((violation) => `${id}: VIOLATED ${violation}`),
  ];
}

function inSeconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}
