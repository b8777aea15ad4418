import type { Variable } from './setting-types.js';

interface About {
  readonly description: string;
  readonly example: string;
  /** The form of each secret, without spaces and commas; by default any. */
  readonly item?: { readonly pattern: RegExp; readonly name: string };
}

const ANY = { pattern: /^\S+$/, name: 'strings' };

/** Secrets of which each is valid, so that one can replace another. */
export function secretList({ description, example, item = ANY }: About): Variable<readonly string[] | undefined> {
  const read = (text: string) => readSecrets(text, item.pattern);
  return {
    description,
    example,
    expectation: `a comma-separated list of ${item.name} without spaces`,
    fallback: { value: undefined, text: '' },
    secret: true,
    isPublished: (text) => read(text)?.includes(example) === true,
    read,
  };
}

function readSecrets(text: string, pattern: RegExp): readonly string[] | undefined {
  const secrets = text.split(',').map((one) => one.trim());
  return secrets.every((one) => pattern.test(one)) ? secrets : undefined;
}
