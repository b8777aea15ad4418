import type { Variable } from './setting-types.js';

interface About {
  readonly description: string;
  readonly example: string;
}

/** Secrets of which each is valid, so that one can replace another. */
export function secretList({ description, example }: About): Variable<readonly string[] | undefined> {
  return {
    description,
    example,
    expectation: 'a comma-separated list of strings without spaces',
    fallback: { value: undefined, text: '' },
    secret: true,
    isPublished: (text) => readSecrets(text)?.includes(example) === true,
    read: readSecrets,
  };
}

function readSecrets(text: string): readonly string[] | undefined {
  const secrets = text.split(',').map((one) => one.trim());
  return secrets.every((one) => /^\S+$/.test(one)) ? secrets : undefined;
}
