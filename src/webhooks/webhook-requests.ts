import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsBoolean, IsIn, IsOptional, IsString } from 'class-validator';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { parseZonedTime } from '../platform/http/time-parameter.js';
import { WEBHOOK_EVENTS, type WebhookEventType } from './webhook-events.js';
import { IsWellFormed } from '../platform/http/storable-text.js';

const EVENTS_RULE = { message: `events must be an array of one or more of ${WEBHOOK_EVENTS.join(', ')}` };
const IsEventList = () =>
  applyDecorators(
    IsOptional(),
    IsArray(EVENTS_RULE),
    ArrayNotEmpty(EVENTS_RULE),
    ArrayMaxSize(100, EVENTS_RULE),
    IsIn(WEBHOOK_EVENTS, { each: true, ...EVENTS_RULE }),
  );
const IsFlag = (name: string) => applyDecorators(IsOptional(), IsBoolean({ message: `${name} must be true or false` }));
const URL_RULE = { message: 'url is required and must be a string' };

export class CreateWebhookRequest {
  @IsWellFormed()
  @IsString(URL_RULE)
  url!: string;

  @IsEventList()
  events?: WebhookEventType[] | null;

  @IsFlag('people')
  people?: boolean | null;
}

export class ChangeWebhookRequest {
  @IsOptional()
  @IsWellFormed()
  @IsString({ message: 'url must be a string' })
  url?: string | null;

  @IsEventList()
  events?: WebhookEventType[] | null;

  @IsFlag('enabled')
  enabled?: boolean | null;

  @IsFlag('people')
  people?: boolean | null;
}

export class ReplayRequest {
  @IsString({ message: 'since is required and must be a string' })
  since!: string;

  @IsOptional()
  @IsString({ message: 'until must be a string' })
  until?: string | null;
}

/** Deliveries that were stored from `since` on, and before `until`. */
export interface ReplayRange {
  readonly since: Date;
  /** Null for no end. */
  readonly until: Date | null;
}

/** @throws InvalidFieldError when a text is not an ISO 8601 time with a UTC offset, or `until` is not after `since` */
export function readReplayRange({ since, until }: ReplayRequest): ReplayRange {
  const range = { since: readZonedTime('since', since), until: until ? readZonedTime('until', until) : null };
  if (range.until && range.until <= range.since) throw new InvalidFieldError('until', 'must be after since');
  return range;
}

function readZonedTime(field: string, text: string): Date {
  const time = parseZonedTime(text);
  if (Number.isNaN(time)) throw new InvalidFieldError(field, 'must be a time like 2026-03-01T09:30:00.000Z');
  return new Date(time);
}
