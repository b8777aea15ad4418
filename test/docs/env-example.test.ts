import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'dotenv';
import { readSettings } from '../../src/platform/config/settings.js';
import { variables, type VariableName } from '../../src/platform/config/setting-definitions.js';

const file = join(import.meta.dirname, '..', '..', '.env.example');
const names = Object.keys(variables) as VariableName[];

describe('.env.example', () => {
  it('lists every setting once, with its description and its default or an example', async () => {
    const entries = [...(await readFile(file, 'utf8')).matchAll(/^# (.+)\n#([A-Z_]+)=(.*)$/gm)];
    const listed = entries.map(([, description, name, value]) => ({ name, description, value }));
    const expected = names.map((name) => ({
      name,
      description: variables[name].description,
      value: variables[name].fallback?.text || variables[name].example,
    }));
    const byName = (one: { name?: string }, other: { name?: string }): number =>
      (one.name ?? '').localeCompare(other.name ?? '');
    expect(listed.sort(byName)).toEqual(expected.sort(byName));
  });

  it('changes nothing when copied unchanged', async () => {
    expect(parse(await readFile(file))).toEqual({});
  });

  it('shows only values that are valid', async () => {
    const shown = parse((await readFile(file, 'utf8')).replace(/^#(?=[A-Z_]+=)/gm, ''));
    expect(Object.keys(shown).sort()).toEqual([...names].sort());
    // Refused, so that no one uses them, but in the format of real secrets.
    const secrets = names.filter((name) => variables[name].isPublished?.(shown[name]!));
    expect(secrets.sort()).toEqual([
      'BOUNCE_INTAKE_SECRET',
      'ENCRYPTION_KEYS',
      'MAILGUN_EVENT_SIGNING_KEY',
      'OIDC_CLIENT_SECRET',
      'OPERATOR_PASSWORD',
      'POSTMARK_EVENT_CREDENTIALS',
      'PROVIDERS',
      'REDIS_SENTINEL_PASSWORD',
      'RESEND_EVENT_SECRET',
      'SENDGRID_API_KEY',
    ]);
    for (const name of secrets) expect(variables[name].read(shown[name]!)).toBeDefined();
    const others = Object.fromEntries(
      Object.entries(shown).filter(([name]) => !secrets.includes(name as VariableName)),
    );
    expect(() => readSettings(others)).not.toThrow();
  });
});
