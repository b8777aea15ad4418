import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/* A reader follows links, calls routes and watches metrics that pages name. */

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const below = (folder: string, end: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end) && !name.includes('node_modules'))
    .map((name) => join(folder, name));

const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['docs', 'src', 'test', 'packages', 'bench', 'deploy'].flatMap((folder) => below(folder, '.md')),
];
/** What was true of a version need not be true of a later one. */
const currentPages = pages.filter((page) => page !== 'CHANGELOG.md');

const withoutCode = (text: string): string => text.replace(/^ *```[^]*?^ *```$/gm, '');
/** As GitHub makes it from a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
const anchorsOf = (page: string): string[] =>
  [...withoutCode(read(page)).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading!));

function brokenLinks(page: string, text: string): string[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [file, anchor] = link.split('#') as [string, string?];
    const target = file === '' ? page : normalize(join(dirname(page), file));
    return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  });
}

const METRICS = new Set(read('docs/metrics.md').match(/\bmailbeacon_\w+/g));
function unknownMetrics(text: string): string[] {
  const names = [...text.matchAll(/`(mailbeacon_\w+)(?:\{[^`]*)?`/g)].map(([, name]) => name!);
  return names.filter((name) => !METRICS.has(name.replace(/_(?:bucket|sum|count)$/, '')) && !OTHER_NAMES.has(name));
}
/** A tag of emails, a table of the event store and two logins. */
const OTHER_NAMES = new Set(['mailbeacon_email_id', 'mailbeacon_events', 'mailbeacon_worker', 'mailbeacon_tracking']);

/** Parameters of a path are written in several ways: `{id}`, `:id`, `ID`. */
const shapeOf = (path: string): string => path.replace(/\?.*$/, '').replace(/\{\w+\}|:\w+|(?<=\/)[A-Z]+(?=\/|$)/g, '*');
const ROUTES = new Set(
  [...read('docs/routes.md').matchAll(/^\| `([A-Z]+) (\S+)`/gm)].map(
    ([, method, path]) => `${method} ${shapeOf(path!)}`,
  ),
);
function unknownRoutes(text: string): string[] {
  const named = [
    ...text.matchAll(/\b((?:[A-Z]+(?:`, `|` and `|, | and | or ))*[A-Z]+)\s(\/(?:api|emails|v3)[^`\s,;]*)/g),
  ];
  return named
    .flatMap(([, methods, path]) => methods!.match(/[A-Z]+/g)!.map((method) => `${method} ${shapeOf(path!)}`))
    .filter((route) => !route.includes('…') && !ROUTES.has(route.replace(/^HEAD/, 'GET')));
}

it('the check itself sees what does not exist', () => {
  const text = '[a](none.md) [b](api.md#none) `mailbeacon_none` `GET /api/none` `PUT /api/emails/:id`';
  expect(brokenLinks('docs/api.md', text)).toEqual(['none.md', 'api.md#none']);
  expect(unknownMetrics(text)).toEqual(['mailbeacon_none']);
  expect(unknownRoutes(text)).toEqual(['GET /api/none', 'PUT /api/emails/*']);
});

it.each(pages)('the links of %s lead to files and headings that exist', (page) => {
  expect(brokenLinks(page, read(page))).toEqual([]);
});

it.each(currentPages)('%s names metrics and routes that exist', (page) => {
  expect([...unknownMetrics(read(page)), ...unknownRoutes(read(page))]).toEqual([]);
});
