import { OperatorError } from '../errors/operator-error.js';
import { ROLES, variables, type Role, type Settings, type VariableName } from './variables.js';

export { ROLES, type Role, type Settings } from './variables.js';

/** Injection token of the settings of the running process. */
export const SETTINGS = Symbol('settings');

/** Settings once every part that was left to us is there: embedded services, the port, the address. */
export type RunSettings = Settings & {
  readonly BASE_URL: string;
  readonly DATABASE_URL: string;
  readonly REDIS_URL: string;
};

/** Thrown when settings are wrong; its message has one line per variable and never contains a value. */
export class InvalidSettingsError extends OperatorError {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/**
 * Reads all settings together, so that one start shows every problem at once.
 * @throws InvalidSettingsError naming each wrong or missing variable, what is wrong and an example.
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(variables) as VariableName[]) {
    const variable = variables[name];
    const text = environment[name]?.trim() ?? '';
    if (text === '' && variable.fallback) {
      values[name] = variable.fallback.value;
      continue;
    }
    values[name] = text === '' ? undefined : variable.read(text);
    if (values[name] === undefined) {
      problems.push(`${name} must be ${variable.expectation}, for example ${name}=${variable.example}`);
    }
  }
  const settings = values as unknown as Settings;
  if (problems.length === 0) problems.push(...contradictions(settings));
  if (problems.length > 0) throw new InvalidSettingsError(problems);
  return settings;
}

/** What each variable alone cannot show. A role is asked only for its own settings. */
function contradictions(settings: Settings): string[] {
  const problems: string[] = [];
  const worker = settings.ROLES.includes('worker');
  if (worker && settings.DELIVERY_PROVIDER === 'sendgrid' && settings.SENDGRID_API_KEY === undefined) {
    problems.push(
      `SENDGRID_API_KEY must be set when DELIVERY_PROVIDER=sendgrid, for example SENDGRID_API_KEY=${variables.SENDGRID_API_KEY.example}`,
    );
  }
  const makesLinks = worker || settings.ROLES.includes('api');
  if (makesLinks && !hasAllRoles(settings.ROLES) && settings.BASE_URL === undefined) {
    problems.push(
      `BASE_URL must be set, the same for api and worker, where only some of the roles run, for example BASE_URL=${variables.BASE_URL.example}`,
    );
  }
  try {
    readPlans(settings.PLANS);
  } catch {
    problems.push(`PLANS must be a list of name=limit, for example PLANS=${variables.PLANS.example}`);
  }
  return problems;
}

/** Active campaigns allowed per plan; undefined means no limit. */
export function readPlans(text: string): ReadonlyMap<string, number | undefined> {
  return new Map(
    text.split(',').map((entry) => {
      const match = /^\s*([a-z][a-z0-9_-]*)=(\d*)\s*$/.exec(entry);
      if (!match?.[1]) throw new Error('not a plan');
      return [match[1], match[2] === '' ? undefined : Number(match[2])];
    }),
  );
}

export function hasAllRoles(roles: readonly Role[]): boolean {
  return ROLES.every((role) => roles.includes(role));
}
