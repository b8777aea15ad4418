import type { Variable } from '../../src/platform/config/setting-types.js';
import { variables } from '../../src/platform/config/setting-definitions.js';
import { expectPage } from './generated-page.js';
import { code, markdownTable } from './markdown-table.js';

const HEAD = `# Settings

Environment variables, or lines of a file \`.env\` in the project's folder; the environment wins. All are read and checked
together at start: a wrong or missing one ends the start with a line that names it and shows an example. Values are never
printed. The log warns about valid combinations that are probably mistakes, about variables that look like a misspelled
setting, and about unknown names in \`.env\`.
`;
const FOOT =
  '`npm run docs` writes this page from `src/platform/config/setting-definitions.ts`; a test keeps it true.\n';

it('docs/settings.md lists every setting as the code reads it', async () => {
  const rows = Object.entries<Variable<unknown>>(variables).map(([name, variable]) => [
    code(name),
    standard(variable),
    variable.expectation + (variable.secret ? '; never shown' : ''),
    variable.description,
  ]);
  await expectPage(
    'settings.md',
    [HEAD, markdownTable(['setting', 'default', 'must be', 'what it is'], rows), '', FOOT].join('\n'),
  );
});

function standard({ fallback, example }: Variable<unknown>): string {
  if (fallback?.text) return code(fallback.text);
  return `unset, as in ${code(example)}`;
}
