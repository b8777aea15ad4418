import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  MaxLength,
  MinLength,
} from 'class-validator';
import { domainInAscii } from '../platform/addresses/domain-in-ascii.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { IsWellFormed } from '../platform/http/storable-text.js';
import { readTime } from '../platform/http/time-parameter.js';
import type { NewKey } from './api-keys.js';
import { readNetworks, type KeyLimits } from './key-limits.js';
import { KEY_SCOPES, type KeyScope } from './key-scopes.js';

const MAX_NAME = 200;
const MAX_ENTRIES = 50;
const MAX_ENTRY = 253;
const DOMAIN = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/;

const scopesForm = `scopes must be one or more of ${KEY_SCOPES.join(', ')}`;

export class CreateKeyRequest {
  @IsOptional()
  @IsWellFormed()
  @MaxLength(MAX_NAME, { message: `name must have at most ${MAX_NAME} characters` })
  @MinLength(1, { message: 'name must not be empty' })
  @IsString({ message: 'name must be a string' })
  name?: string;

  @IsOptional()
  @ArrayUnique({ message: scopesForm })
  @IsIn(KEY_SCOPES, { each: true, message: scopesForm })
  @ArrayMinSize(1, { message: scopesForm })
  @IsArray({ message: scopesForm })
  scopes?: KeyScope[];

  @IsOptional()
  @IsString({ message: 'expiresAt must be a string' })
  expiresAt?: string;

  @IsOptional()
  @ListOfTexts()
  allowedDomains?: string[];

  @IsOptional()
  @ListOfTexts()
  allowedAddresses?: string[];
}

/**
 * Reads a request; omitted limits are copied from `creator`.
 * @throws InvalidFieldError
 */
export function readNewKey(request: CreateKeyRequest, creator: KeyLimits, now: number): NewKey {
  const { name = null, scopes, expiresAt, allowedDomains, allowedAddresses } = request;
  const expiry = expiresAt === undefined ? creator.expiresAt : new Date(readTime('expiresAt', expiresAt));
  if (expiry !== null && !(expiry.getTime() > now)) throw new InvalidFieldError('expiresAt', 'must be in the future');
  return {
    name,
    scopes: KEY_SCOPES.filter((scope) => (scopes ?? creator.scopes).includes(scope)),
    expiresAt: expiry,
    allowedDomains: allowedDomains ? allowedDomains.map(readSenderDomain) : creator.allowedDomains,
    allowedAddresses: allowedAddresses ? readNetworks(allowedAddresses) : creator.allowedAddresses,
  };
}

function readSenderDomain(text: string): string {
  const domain = domainInAscii(text.trim()).replace(/\.$/, '');
  if (!DOMAIN.test(domain)) throw new InvalidFieldError('allowedDomains', 'must be domain names such as example.com');
  return domain;
}

/** An empty list would allow nothing, which is never intended. */
function ListOfTexts(): PropertyDecorator {
  const message = `$property must be a list of 1 to ${MAX_ENTRIES} texts`;
  return (target, property) => {
    for (const rule of [
      IsArray({ message }),
      ArrayMinSize(1, { message }),
      ArrayMaxSize(MAX_ENTRIES, { message }),
      IsString({ each: true, message }),
      MaxLength(MAX_ENTRY, { each: true, message }),
    ])
      rule(target, property);
  };
}
