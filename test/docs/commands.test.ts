import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../support/command-line.js';

/* An operator copies commands from pages, often in an outage: each must exist, with its options. */

const root = join(import.meta.dirname, '..', '..');
const below = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
const files = [...readdirSync(root), ...['docs', 'src', 'test', 'packages', 'bench', 'deploy'].flatMap(below)].filter(
  (name) => /\.(md|ya?ml)$/.test(name) && name !== 'CHANGELOG.md' && !name.includes('node_modules'),
);
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };

/** The words behind the program, up to the end of the command. */
const COMMAND = /(?:npm run (?:--silent )?cli --|dist\/cli\/main\.js|compose run --rm cli) ([^\n`#|<>;}]+)/g;

interface NamedCommand {
  readonly words: readonly string[];
  readonly options: readonly string[];
}

function commandsIn(text: string): NamedCommand[] {
  return [...text.matchAll(COMMAND)].map(([, command]) => {
    const words = command!.trim().split(/\s+/);
    const first = words.findIndex((word) => !/^[a-z][a-z-]+$/.test(word));
    return {
      words: first === -1 ? words : words.slice(0, first),
      options: words.filter((word) => /^--[a-z-]+$/.test(word)),
    };
  });
}

const helps = new Map<string, Promise<string>>();
function helpOf(words: readonly string[]): Promise<string> {
  const name = words.join(' ');
  const help = helps.get(name) ?? runCommand({}, ...words, '--help').then(({ output }) => output);
  helps.set(name, help);
  return help;
}

/** What is wrong with a command: words that its help does not begin with, and options that it does not list. */
async function problemsOf({ words, options }: NamedCommand): Promise<string[]> {
  const help = await helpOf(words);
  const usage = ['Usage: mailbeacon', ...words].join(' ');
  if (!help.startsWith(usage)) return [`no command ${words.join(' ')}`];
  const listed = new Set([...help.matchAll(/(?<=\s)--[a-z-]+/g)].map(([name]) => name));
  return options.filter((option) => !listed.has(option)).map((option) => `no option ${option} of ${words.join(' ')}`);
}

it('the check itself sees a command and an option that do not exist', async () => {
  const text = '`npm run cli -- org remove`, `node dist/cli/main.js key list --team X`';
  expect((await Promise.all(commandsIn(text).map(problemsOf))).flat()).toEqual([
    'no command org remove',
    'no option --team of key list',
  ]);
});

it('pages and manifests name commands that exist, with their options', async () => {
  const commands = files.flatMap((name) => commandsIn(readFileSync(join(root, name), 'utf8')));
  expect(commands.length).toBeGreaterThan(60);
  expect((await Promise.all(commands.map(problemsOf))).flat()).toEqual([]);
});

it.each(files)('%s names scripts that exist', (name) => {
  const named = [...readFileSync(join(root, name), 'utf8').matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)];
  expect(named.map(([, script]) => script!).filter((script) => !(script in scripts))).toEqual([]);
});
