import type { KeyObject } from 'node:crypto';
import type { ProviderType } from '../../platform/config/provider-credentials.js';
import { readPublicKeys } from '../../platform/config/public-keys.js';
import { readSecrets, USER_AND_PASSWORD, WHSEC_SECRET } from '../../platform/config/secret-list.js';
import { readTopics } from '../../platform/config/topic-list.js';

/** What verifies the calls with events, by the type of the provider. Each value of a list is valid. */
export interface EventKeys {
  sendgrid: readonly KeyObject[];
  /** HTTP webhook signing keys. */
  mailgun: readonly string[];
  /** Pairs user:password in the URL of the webhook. */
  postmark: readonly string[];
  /** Signing secrets of the webhook. */
  resend: readonly string[];
  /** ARNs of SNS topics. */
  ses: readonly string[];
}

/** Each is tried on the body of a call, which may have 10 MB. */
const MAX_KEYS = 5;

/** The types of providers that report events over HTTP. */
export type EventKeyType = keyof EventKeys;

interface Format<Key> {
  /** Describes a valid key, as in "must be …". */
  readonly expectation: string;
  readonly read: (text: string) => Key | undefined;
}

/** As in the settings of the service's own providers, such as SENDGRID_EVENT_PUBLIC_KEY. */
const FORMATS: { [Type in EventKeyType]: Format<EventKeys[Type]> } = {
  sendgrid: {
    expectation: 'the verification key of the signed Event Webhook: a P-256 public key, as DER in base64 or as PEM',
    read: readPublicKeys,
  },
  mailgun: { expectation: 'the HTTP webhook signing key, without spaces', read: (text) => readSecrets(text) },
  postmark: {
    expectation: 'the user and password in the URL of the webhook: user:password',
    read: (text) => readSecrets(text, USER_AND_PASSWORD),
  },
  resend: {
    expectation: 'the signing secret of the webhook, which begins with whsec_',
    read: (text) => readSecrets(text, WHSEC_SECRET),
  },
  ses: { expectation: 'the ARN of the SNS topic with the events', read: readTopics },
};

/** True if the provider reports events over HTTP, so that it may have an event key. */
export function takesEventKey(type: ProviderType): type is EventKeyType {
  return Object.hasOwn(FORMATS, type);
}

/**
 * Reads a comma-separated list of event keys, so that one can replace another.
 * @returns undefined if one of them is invalid, or if there are too many
 */
export function readEventKey<Type extends EventKeyType>(type: Type, text: string): EventKeys[Type] | undefined {
  const keys = FORMATS[type].read(text);
  return keys && keys.length <= MAX_KEYS ? keys : undefined;
}

/** Describes a valid event key of the type, as in "must be …". */
export function eventKeyExpectation(type: EventKeyType): string {
  return `${FORMATS[type].expectation}; several, at most ${MAX_KEYS}, are separated by commas`;
}
