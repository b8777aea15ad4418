import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KNOWN_AGENTS } from '../../src/events/classification/agents.js';

/* A receiver of webhooks looks up reasons on this page. */

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs/engagement.md'), 'utf8');
const [, section] = /^### Reasons$([^]*)/m.exec(page)!;
const listed = new Set(section!.match(/[a-z][a-z-]*[a-z]/g));

it('docs/engagement.md lists every reason that a user agent gives', () => {
  const names = KNOWN_AGENTS.filter((agent) => agent.class !== 'person').map(({ name }) => name);
  expect([...new Set(names)].filter((name) => !listed.has(name))).toEqual([]);
});

it('docs/engagement.md lists every network of the file', () => {
  const file = readFileSync(join(root, 'src/events/classification/scanner-networks.csv'), 'utf8');
  const rows = file.split('\n').filter((line) => /^[\da-f]/.test(line) && !line.startsWith('cidr'));
  const names = new Set(rows.map((row) => row.split(',')[3]!));
  expect(names.size).toBeGreaterThan(3);
  expect([...names].filter((name) => !listed.has(name))).toEqual([]);
});
