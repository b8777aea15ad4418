import { OperatorError } from '../platform/errors/operator-error.js';

const USAGE = `Usage: npm start
       node dist/roles/main.js

Starts Mailbeacon: by default all roles, with a Postgres, a Redis and an inbox of its own for each that no setting names.
Ctrl-C or SIGTERM stops it.

Settings are variables of the environment or lines of .env, for example ROLES=api,tracking PORT=3001.
docs/settings.md and .env.example list them, docs/operations.md describes an installation.
Commands: npm run --silent cli -- --help
`;

/**
 * @param words the arguments of the program that runs roles
 * @returns the usage, if they ask for it
 * @throws OperatorError about any other argument. It does not quote the value of a setting, which may be a secret
 */
export function requestedUsage(words: readonly string[]): string | undefined {
  const unknown = words.find((word) => word !== '--help' && word !== '-h');
  if (unknown !== undefined) {
    const [name] = unknown.split('=');
    throw new OperatorError(
      `The argument ${name} is unknown: the program has no arguments but --help, and takes its settings from the environment and .env`,
    );
  }
  return words.length > 0 ? USAGE : undefined;
}
