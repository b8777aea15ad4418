import console from 'node:console';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import process from 'node:process';
import { generator } from './http-load.mjs';

const FOLDER = 'docs/performance';

/** The machine on which the figures were measured. */
export function environment() {
  const [{ model }] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  return `${cpus().length} × ${model}, ${memory}, Linux ${release()}, Node ${process.version}, load by ${generator}`;
}

/** Whether a figure meets its requirement; undefined if it has none. */
export function isReached({ median, atLeast, atMost }) {
  if (atLeast === undefined && atMost === undefined) return undefined;
  return (atLeast === undefined || median >= atLeast) && (atMost === undefined || median <= atMost);
}

export function print({ title, tables, figures, notes = [] }) {
  console.log(`\n## ${title}\n`);
  for (const { header, rows } of tables) console.log(`${markdown(header, rows)}\n`);
  console.log(markdown(['figure', 'median', 'least to most', 'required', ''], figures.map(rowOf)));
  for (const note of notes) console.log(`\n${note}`);
}

/** Stores the measurements next to the page that describes them. */
export function keep(name, result, quick) {
  if (quick) return;
  mkdirSync(FOLDER, { recursive: true });
  const { samples, figures, tables, title, notes } = result;
  const content = {
    title,
    environment: environment(),
    measuredAt: new Date().toISOString(),
    figures,
    notes,
    tables,
    samples,
  };
  writeFileSync(`${FOLDER}/${name}.json`, `${JSON.stringify(content, rounded, 1)}\n`);
  writeFileSync(`${FOLDER}/${name}.svg`, chart(title, figures));
}

function rowOf({ name, median, least, most, atLeast, atMost, unit = '×' }) {
  const number = (value) => `${value.toFixed(value < 100 ? 2 : 0)}${unit}`;
  const required = atLeast !== undefined ? `≥ ${number(atLeast)}` : atMost !== undefined ? `≤ ${number(atMost)}` : '';
  const reached = isReached({ median, atLeast, atMost });
  const verdict = reached === undefined ? '' : reached ? 'reached' : 'MISSED';
  return [name, number(median), `${number(least)} to ${number(most)}`, required, verdict];
}

function markdown(header, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

function rounded(_key, value) {
  return typeof value === 'number' ? Number(value.toPrecision(5)) : value;
}

/** One bar per figure, as a share of its requirement. A line marks the requirement. */
function chart(title, figures) {
  const [width, row, left, line] = [760, 34, 330, 560];
  const bounded = figures.filter((figure) => isReached(figure) !== undefined);
  const height = bounded.length * row + 60;
  const bars = bounded.map((figure, index) => {
    const bound = figure.atLeast ?? figure.atMost;
    const length = Math.min((line - left) * (figure.median / bound), width - left - 70);
    const y = 44 + index * row;
    const color = isReached(figure) ? '#2a7f62' : '#b3472d';
    const [, median, , required] = rowOf(figure);
    return [
      `<text x="${left - 8}" y="${y + 15}" text-anchor="end">${escaped(figure.name)}</text>`,
      `<rect x="${left}" y="${y}" width="${length.toFixed(1)}" height="20" fill="${color}"/>`,
      `<text x="${(left + length + 6).toFixed(1)}" y="${y + 15}">${escaped(`${median} (${required})`)}</text>`,
    ].join('');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="8" y="22" font-size="15">${escaped(title)}</text>
${bars.join('\n')}
<line x1="${line}" x2="${line}" y1="36" y2="${height - 18}" stroke="#555" stroke-dasharray="4 3"/>
</svg>
`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
