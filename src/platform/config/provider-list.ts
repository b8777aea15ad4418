import { readFileSync } from 'node:fs';
import {
  credentialNames,
  PROVIDER_TYPES,
  readCredentials,
  type ProviderCredentials,
  type ProviderType,
} from './provider-credentials.js';

export interface ProviderEntryOf<Type extends ProviderType> {
  readonly id: string;
  readonly type: Type;
  readonly credentials: ProviderCredentials[Type];
  /** Share of the mail, relative to the weights of the others. 0: only while no other provider is available. */
  readonly weight?: number;
  /** Maximum number of emails per second, of all workers together. */
  readonly perSecond?: number;
}

/** A provider of the list PROVIDERS. */
export type ProviderEntry = { [Type in ProviderType]: ProviderEntryOf<Type> }[ProviderType];

/** Thrown for an invalid list. The message contains no value of a credential. */
export class InvalidProviderListError extends Error {}

const COMMON_FIELDS = ['id', 'type', 'weight', 'perSecond'];
const MAX_PROVIDERS = 20;
export const MAX_WEIGHT = 1_000;
export const MIN_PER_SECOND = 0.01;
export const MAX_PER_SECOND = 100_000;
const ID = /^[a-z0-9][a-z0-9-]{0,39}$/;
/** The name of all providers of organizations in metrics: their number of series must not depend on organizations. */
export const ORGANIZATIONS_LABEL = 'organizations';

/**
 * Reads the value of PROVIDERS.
 * @param text a JSON array, or the name of a file that has one
 * @throws InvalidProviderListError
 */
export function readProviderList(text: string): readonly ProviderEntry[] {
  const list = parse(text.startsWith('[') ? text : readFile(text));
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_PROVIDERS) {
    throw new InvalidProviderListError(`it must be an array of 1 to ${MAX_PROVIDERS} providers`);
  }
  const entries = list.map(readEntry);
  const repeated = entries.find(({ id }, index) => entries.findIndex((other) => other.id === id) !== index);
  if (repeated) throw new InvalidProviderListError(`two providers have the id ${repeated.id}`);
  return entries;
}

function readFile(name: string): string {
  try {
    return readFileSync(name, 'utf8');
  } catch {
    throw new InvalidProviderListError('it is neither a JSON array nor the name of a readable file');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidProviderListError('it is not JSON');
  }
}

function readEntry(value: unknown, index: number): ProviderEntry {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  const { id, type, weight, perSecond } = fields;
  const refuse = (problem: string): never => {
    const name = typeof id === 'string' && ID.test(id) ? id : `number ${index + 1}`;
    throw new InvalidProviderListError(`provider ${name}: ${problem}`);
  };
  if (typeof id !== 'string' || !ID.test(id)) return refuse('id must be up to 40 lower-case letters, digits and -');
  if (id === ORGANIZATIONS_LABEL) return refuse(`id ${id} is reserved for the providers of organizations`);
  const known = PROVIDER_TYPES.find((one) => one === type);
  if (!known) return refuse(`type must be one of ${PROVIDER_TYPES.join(', ')}`);
  const accepted = [...COMMON_FIELDS, ...credentialNames(known)];
  const unknown = Object.keys(fields).filter((name) => !accepted.includes(name));
  if (unknown.length > 0) return refuse(`${known} has only the fields ${accepted.join(', ')}`);
  if (weight !== undefined && !(Number.isInteger(weight) && isWithin(weight, 0, MAX_WEIGHT)))
    return refuse(`weight must be a whole number from 0 to ${MAX_WEIGHT}`);
  if (perSecond !== undefined && !isWithin(perSecond, MIN_PER_SECOND, MAX_PER_SECOND))
    return refuse(`perSecond must be a number from ${MIN_PER_SECOND} to ${MAX_PER_SECOND}`);
  const credentials = readCredentials(known, fields, (field, problem) => refuse(`${field} ${problem}`));
  return {
    ...{ id, type: known, credentials },
    ...(weight !== undefined && { weight }),
    ...(perSecond !== undefined && { perSecond }),
  } as ProviderEntry;
}

function isWithin(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}
