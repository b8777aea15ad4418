import { ENGAGEMENT_CLASSES } from '../../../src/events/verdict.js';
import { classifyCorpus, type ClassifiedRequest } from './corpus.js';

const corpus = classifyCorpus();
const isPerson = (name: string) => name === 'human' || name === 'proxy';
const isRight = ({ request, verdict }: ClassifiedRequest) => request.expected === verdict.class;
const describe = ({ request, verdict }: ClassifiedRequest) =>
  `${request.kind} by ${request.agent || 'no user agent'} ${request.address}: ${verdict.class} (${verdict.reason}), expected ${request.expected}`;

/** `npm run engagement` shows the table. */
if (process.env.SHOW_ENGAGEMENT) process.stderr.write(table());

it('the corpus has at least 200 requests, each with a source, and every class', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(200);
  expect(corpus.filter(({ request }) => request.source === '')).toEqual([]);
  expect(new Set(corpus.map(({ request }) => request.expected))).toEqual(new Set(ENGAGEMENT_CLASSES));
});

it('no certain person is counted as a machine', () => {
  const people = corpus.filter(({ request }) => request.certain === 'yes');
  expect(people.length).toBeGreaterThan(50);
  expect(people.filter(({ verdict }) => !isPerson(verdict.class)).map(describe)).toEqual([]);
});

it('at least 99 % of the requests get the right class', () => {
  const wrong = corpus.filter((one) => !isRight(one));
  expect({ share: wrong.length / corpus.length < 0.01, wrong: wrong.map(describe) }).toMatchObject({ share: true });
});

function table(): string {
  const percent = (part: number, whole: number) => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);
  const rows = ENGAGEMENT_CLASSES.map((name) => {
    const expected = corpus.filter(({ request }) => request.expected === name).length;
    const found = corpus.filter(({ verdict }) => verdict.class === name).length;
    const right = corpus.filter((one) => isRight(one) && one.verdict.class === name).length;
    return [
      name.padEnd(10),
      String(expected).padStart(8),
      percent(right, found).padStart(10),
      percent(right, expected).padStart(8),
    ];
  });
  const right = corpus.filter(isRight);
  return [
    ['class     ', 'requests', ' precision', '  recall'].join('  '),
    ...rows.map((cells) => cells.join('  ')),
    `${right.length} of ${corpus.length} right (${percent(right.length, corpus.length)})`,
    ...corpus.filter((one) => !isRight(one)).map((one) => `wrong: ${describe(one)}`),
    '',
  ].join('\n');
}
