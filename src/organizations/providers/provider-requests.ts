import { applyDecorators } from '@nestjs/common';
import { IsIn, IsInt, IsNumber, IsObject, IsOptional, IsString, Max, MaxLength, Min, MinLength } from 'class-validator';
import { PROVIDER_TYPES, type ProviderType } from '../../platform/config/provider-credentials.js';
import { MAX_PER_SECOND, MAX_WEIGHT, MIN_PER_SECOND } from '../../platform/config/provider-list.js';
import { KeepsNull } from '../../platform/http/body.pipe.js';
import { IsWellFormed } from '../../platform/http/storable-text.js';

export const MAX_NAME_LENGTH = 100;
export const MAX_EVENT_KEY_LENGTH = 10_000;

const NAME_RULE = { message: `name must have 1 to ${MAX_NAME_LENGTH} characters` };
const TYPE_RULE = { message: `type must be one of ${PROVIDER_TYPES.join(', ')}` };
const WEIGHT_RULE = { message: `weight must be a whole number from 0 to ${MAX_WEIGHT}` };
const PER_SECOND_RULE = { message: `perSecond must be a number from ${MIN_PER_SECOND} to ${MAX_PER_SECOND}` };
const EVENT_KEY_RULE = { message: `eventKey must be a string of at most ${MAX_EVENT_KEY_LENGTH} characters` };

const IsName = () =>
  applyDecorators(IsString(NAME_RULE), MinLength(1, NAME_RULE), MaxLength(MAX_NAME_LENGTH, NAME_RULE), IsWellFormed());
const IsWeight = () =>
  applyDecorators(IsOptional(), IsInt(WEIGHT_RULE), Min(0, WEIGHT_RULE), Max(MAX_WEIGHT, WEIGHT_RULE));
const IsPerSecond = () =>
  applyDecorators(
    IsOptional(),
    IsNumber({}, PER_SECOND_RULE),
    Min(MIN_PER_SECOND, PER_SECOND_RULE),
    Max(MAX_PER_SECOND, PER_SECOND_RULE),
  );
const IsEventKey = () =>
  applyDecorators(
    IsOptional(),
    IsString(EVENT_KEY_RULE),
    MaxLength(MAX_EVENT_KEY_LENGTH, EVENT_KEY_RULE),
    IsWellFormed(),
  );

export class CreateProviderRequest {
  @IsName()
  name!: string;

  @IsIn(PROVIDER_TYPES, TYPE_RULE)
  type!: ProviderType;

  /** Its fields depend on the type. */
  @IsObject({ message: 'credentials is required and must be an object' })
  credentials!: object;

  @IsWeight()
  weight?: number;

  @IsPerSecond()
  perSecond?: number;

  @IsEventKey()
  eventKey?: string;
}

export class ChangeProviderRequest {
  @IsOptional()
  @IsName()
  name?: string;

  /** Its type, and so its fields, are those of the stored provider; texts that cannot be stored are refused before. */
  @IsOptional()
  @IsWellFormed()
  @IsObject({ message: 'credentials must be an object' })
  credentials?: object;

  @KeepsNull()
  @IsWeight()
  weight?: number | null;

  @KeepsNull()
  @IsPerSecond()
  perSecond?: number | null;

  @KeepsNull()
  @IsEventKey()
  eventKey?: string | null;
}
