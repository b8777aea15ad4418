import type { Variable } from './setting-types.js';

interface About {
  readonly description: string;
  readonly example: string;
  /** By default any. */
  readonly item?: SecretForm;
}

/** The form of each secret of a list, without spaces and commas. */
interface SecretForm {
  readonly pattern: RegExp;
  /** In the plural. */
  readonly name: string;
}

const ANY: SecretForm = { pattern: /^\S+$/, name: 'strings' };
export const USER_AND_PASSWORD: SecretForm = { pattern: /^[^\s:]+:\S+$/, name: 'pairs user:password' };
/** As in Standard Webhooks 1.0.0. */
export const WHSEC_SECRET: SecretForm = {
  pattern: /^whsec_[A-Za-z0-9+/]{22,256}={0,2}$/,
  name: 'secrets that begin with whsec_,',
};

/** Secrets of which each is valid, so that one can replace another. */
export function secretList({ description, example, item = ANY }: About): Variable<readonly string[] | undefined> {
  const read = (text: string) => readSecrets(text, item);
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

/** @returns undefined if one of the secrets is invalid */
export function readSecrets(text: string, form: SecretForm = ANY): readonly string[] | undefined {
  const secrets = text.split(',').map((one) => one.trim());
  return secrets.every((one) => form.pattern.test(one)) ? secrets : undefined;
}
