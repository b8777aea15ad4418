import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/* An operator searches the table of docs/operations.md for what a log says. */

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('src', name));

/** Sentences may be put together from parts in the code. */
const SOURCE = sources
  .map(read)
  .join('\n')
  .replace(/'\s*\+\s*'/g, '');

function documentedMessages(): string[] {
  const [, table] = /^## Log messages$\n([^]*?)^```/m.exec(read('docs/operations.md'))!;
  return table!.split('\n').flatMap((row) => row.split('|')[1]?.match(/(?<=`)[A-Z][^`]*(?=`)/g) ?? []);
}

/** The messages of one call, without what it fills in: `a ${b} c` is `a `. */
function messagesIn(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) return [node.head.text];
  if (ts.isConditionalExpression(node)) return [...messagesIn(node.whenTrue), ...messagesIn(node.whenFalse)];
  return [];
}

function warningsIn(path: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression;
      const isLogged =
        ['warn', 'error', 'fatal'].includes(name.text) && /(?:logger|log)[!?]?$/i.test(expression.getText());
      if (isLogged) found.push(...node.arguments.flatMap(messagesIn));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true));
  return found;
}

it('those of docs/operations.md exist', () => {
  const documented = documentedMessages();
  expect(documented.length).toBeGreaterThan(20);
  const unknown = documented.filter((message) => {
    // `PostgreSQL ended unexpectedly` begins with the name of one of several services.
    const ofAnyService = message.replace(/^(?:Postgres|PostgreSQL|Redis)\b/, '}');
    return !SOURCE.includes(message) && !SOURCE.includes(ofAnyService);
  });
  expect(unknown).toEqual([]);
});

it('docs/operations.md explains all warnings and errors', () => {
  const documented = documentedMessages();
  const logged = sources.flatMap(warningsIn);
  expect(logged.length).toBeGreaterThan(80);
  const unexplained = logged.filter((message) => !documented.some((known) => message.startsWith(known)));
  // Two messages of embedded services begin with the name of the service.
  expect(unexplained.filter((message) => message !== '')).toEqual([]);
});
