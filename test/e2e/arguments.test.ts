import { Program } from '../support/program.js';

let program: Program | undefined;
afterEach(() => program?.end());

/** Nothing that the program could start with: it must not come to that. */
const WRONG = { ROLES: 'nothing' };

it.each(['--help', '-h'])('%s prints how the program is started, and starts nothing', async (argument) => {
  program = Program.start('roles/main.js', WRONG, argument);
  expect(await program.ended()).toBe(0);
  expect(program.output).toMatch(/^Usage: /);
  expect(program.output).toContain('docs/settings.md');
  expect(program.output).not.toContain('ROLES must be');
});

it.each([['worker'], ['--port=3001'], ['--roles', 'api']])('an argument such as %s is refused', async (...words) => {
  program = Program.start('roles/main.js', WRONG, ...words);
  expect(await program.ended()).toBe(1);
  expect(program.output).toBe(
    `The argument ${words[0]!.split('=')[0]} is unknown: the program has no arguments but --help, and takes its settings from the environment and .env\n`,
  );
});
