import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/* A formatter or a search and replace that joins the lines of a code block spoils commands and diagrams unnoticed. */

interface CodeBlock {
  /** The line that opens it. */
  readonly fence: string;
  readonly lines: string[];
}

const root = join(import.meta.dirname, '..', '..');
const folders = ['docs', 'src', 'test', 'packages', 'scripts', 'deploy'];
const pages = [...readdirSync(root), ...folders.flatMap(below)].filter((name) => name.endsWith('.md'));

it.each(pages)('every code block of %s opens and closes on a line of its own', (page) => {
  const { blocks, isOpen } = codeBlocks(readFileSync(join(root, page), 'utf8'));
  expect(isOpen).toBe(false);
  for (const { fence } of blocks) expect(fence).toMatch(/^```[a-z]*$/);
});

it('each arrow of a diagram has a line of its own', () => {
  const { blocks } = codeBlocks(readFileSync(join(root, 'docs/architecture.md'), 'utf8'));
  const diagrams = blocks.filter(({ fence }) => fence === '```mermaid');
  expect(diagrams).toHaveLength(3);
  for (const { lines } of diagrams) {
    expect(lines[0]).toMatch(/^(flowchart LR|stateDiagram-v2)$/);
    for (const line of lines.slice(1)) expect(line.match(/-->|\.->/g)).toHaveLength(1);
  }
});

function below(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.includes('node_modules'))
    .map((name) => join(folder, name));
}

function codeBlocks(text: string): { blocks: CodeBlock[]; isOpen: boolean } {
  const blocks: CodeBlock[] = [];
  let open: CodeBlock | undefined;
  for (const line of text.split('\n').map((line) => line.trim())) {
    if (!line.startsWith('```')) open?.lines.push(line);
    else if (open) open = undefined;
    else blocks.push((open = { fence: line, lines: [] }));
  }
  return { blocks, isOpen: open !== undefined };
}
