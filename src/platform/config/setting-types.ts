import { isUuid } from '../clock/uuid-v7.js';
import { readEncryptionKeys, type EncryptionKey, type EncryptionKeys } from '../encryption/encryption-keys.js';
import { parseUrl } from '../addresses/parse-url.js';
import { endsInsidePassword, isLinkStart, isNamedServer, isServer, readDomain } from './setting-formats.js';

/** One environment variable: its parser, its description and its error message. */
export interface Variable<Value> {
  readonly description: string;
  /** A valid value, shown in error messages, `.env.example` and the documentation. */
  readonly example: string;
  /** The value when the variable is unset or empty. Absent if the variable is required. */
  readonly fallback?: { readonly value: Value; readonly text: string };
  /** True if the value must never be shown. */
  readonly secret?: boolean;
  /** True if the value is the published example of a secret, and therefore not secret. */
  isPublished?(text: string): boolean;
  /** Describes a valid value, as in "must be …". */
  readonly expectation: string;
  /** Why a value is invalid, without the value, if more can be said than `expectation`. */
  problemIn?(text: string): string | undefined;
  /** Returns undefined for an invalid value. */
  read(text: string): Value | undefined;
}

interface Description {
  description: string;
  example?: string;
}
type WithDefault<Value> = Description & { default: Value };
type Optional = Description & { optional: true; example: string };

export function variable<Value>(
  about: Description & { default?: Value; optional?: true },
  expectation: string,
  read: (text: string) => Value | undefined,
  show: (value: Value) => string = String,
): Variable<Value> {
  const { description, default: value, optional } = about;
  const fallback =
    value !== undefined ? { value, text: show(value) } : optional ? { value: undefined as Value, text: '' } : undefined;
  return {
    description,
    example: about.example ?? fallback?.text ?? '',
    expectation,
    read,
    ...(fallback && { fallback }),
  };
}

export function wholeNumber(about: WithDefault<number> & { min: number; max: number }): Variable<number> {
  const { min, max } = about;
  return variable(about, `a whole number from ${min} to ${max}`, (text) => {
    const value = Number(text);
    return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined;
  });
}

export function optionalInteger(about: Optional & { min: number; max: number }): Variable<number | undefined> {
  const { min, max, description, example } = about;
  const { expectation, read } = wholeNumber({ description, min, max, default: min });
  return variable<number | undefined>({ description, example, optional: true }, expectation, read);
}

export function fraction(about: WithDefault<number>): Variable<number> {
  return variable(about, 'a number from 0 to 1', (text) => {
    const value = Number(text);
    return /^\d(\.\d+)?$/.test(text) && value <= 1 ? value : undefined;
  });
}

export function text(about: WithDefault<string>): Variable<string> {
  return variable(about, 'a string', (value) => value);
}

export function optionalText(about: Optional): Variable<string | undefined> {
  return variable<string | undefined>(about, 'a string', (value) => value);
}

export function uuid(about: Optional): Variable<string | undefined> {
  return variable<string | undefined>(about, 'a UUID', (value) => (isUuid(value) ? value.toLowerCase() : undefined));
}

export function secret(about: Optional): Variable<string | undefined> {
  return {
    ...variable<string | undefined>(about, 'a string without spaces', (value) =>
      /^\S+$/.test(value) ? value : undefined,
    ),
    secret: true,
    isPublished: (value) => value === about.example,
  };
}

export function encryptionKeys(about: Optional): Variable<EncryptionKeys | undefined> {
  const published: readonly EncryptionKey[] = readEncryptionKeys(about.example) ?? [];
  return {
    ...variable<EncryptionKeys | undefined>(about, 'a list of id:key, each key 32 bytes in base64', readEncryptionKeys),
    secret: true,
    isPublished: (value) =>
      readEncryptionKeys(value)!.some(({ secret: key }) => published.some((example) => example.secret.equals(key))),
  };
}

export function flag(about: WithDefault<boolean>): Variable<boolean> {
  return variable(about, 'true or false', (value) => {
    return value === 'true' || value === 'false' ? value === 'true' : undefined;
  });
}

export function choice<const Choice extends string>(
  choices: readonly Choice[],
  about: WithDefault<NoInfer<Choice>>,
): Variable<Choice> {
  return variable<Choice>(about, `one of ${choices.join(', ')}`, (value) => choices.find((choice) => choice === value));
}

export function optionalChoice<const Choice extends string>(
  choices: readonly Choice[],
  about: Optional,
): Variable<Choice | undefined> {
  const read = (value: string): Choice | undefined => choices.find((choice) => choice === value);
  return variable<Choice | undefined>(about, `one of ${choices.join(', ')}`, read);
}

export function roleSet<const Role extends string>(
  all: readonly Role[],
  about: WithDefault<Role[]>,
): Variable<readonly Role[]> {
  return variable<readonly Role[]>(
    about,
    `a comma-separated list of ${all.join(', ')}`,
    (value) => {
      const names = value.split(',').map((name) => name.trim());
      const roles = all.filter((role) => names.includes(role));
      return roles.length === names.length ? roles : undefined;
    },
    (roles) => roles.join(','),
  );
}

export function addressList(about: Optional): Variable<readonly string[] | undefined> {
  const expectation = 'a comma-separated list of IP addresses with ports, an IPv6 address in brackets';
  return variable<readonly string[] | undefined>(about, expectation, (value) => {
    const items = value.split(',').map((entry) => entry.trim());
    return items.every(isServer) ? items : undefined;
  });
}

export function hostList(about: Optional): Variable<readonly string[] | undefined> {
  const expectation = 'a comma-separated list of hosts with ports, an IPv6 address in brackets';
  return variable<readonly string[] | undefined>(about, expectation, (value) => {
    const items = value.split(',').map((entry) => entry.trim());
    return items.every((item) => isServer(item) || isNamedServer(item)) ? items : undefined;
  });
}

export function url(protocols: string[], about: WithDefault<string>): Variable<string>;
export function url(protocols: string[], about: Optional): Variable<string | undefined>;
export function url(
  protocols: string[],
  about: Description & { default?: string; optional?: true },
): Variable<string | undefined> {
  const start = `a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  const takesPassword = protocols.some((protocol) => !protocol.startsWith('http'));
  const expectation = takesPassword ? `${start} (write a / in the password as %2F)` : start;
  return {
    ...variable<string | undefined>(about, expectation, (value) => {
      const address = parseUrl(value);
      const fits =
        address !== undefined &&
        protocols.includes(address.protocol) &&
        address.hostname !== '' &&
        !endsInsidePassword(address);
      return fits ? value.replace(/(?<!\/)\/+$/, '') : undefined;
    }),
    secret: takesPassword,
  };
}

/**
 * A URL that links start with. A query would swallow their paths, and everyone who gets a link would see a password.
 */
export function linkStart(about: Optional): Variable<string | undefined> {
  const { expectation, read } = url(['http:', 'https:'], about);
  return variable<string | undefined>(
    about,
    `${expectation}, without a query, a fragment, a user name or a password`,
    (value) => (isLinkStart(value) ? read(value) : undefined),
  );
}

export function domain(about: WithDefault<string>): Variable<string> {
  return variable(about, 'a domain name', readDomain);
}

export function optionalDomain(about: Optional): Variable<string | undefined> {
  return variable<string | undefined>(about, 'a domain name', readDomain);
}
