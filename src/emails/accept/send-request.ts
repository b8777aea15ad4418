import { applyDecorators } from '@nestjs/common';
import {
  IsArray,
  IsBoolean,
  IsObject,
  IsOptional,
  IsString,
  maxLength,
  MaxLength,
  MinLength,
  ValidateIf,
} from 'class-validator';
import { IsJsonWithin } from './json-size.js';
import { HasBytesWithin, IsAddressList, IsHeaderText, IsTagList } from './field-rules.js';
import type { MessageHeaders } from './message-headers.js';
import type { NewAttachment } from '../attachments/attachment.js';
import { IsSendAt } from '../schedule/send-at.js';
import { IsWellFormed } from '../../platform/http/storable-text.js';

export const MAX_HTML_BYTES = 5 * 1024 * 1024;
export const MAX_TEXT_BYTES = 1024 * 1024;
export const MAX_SUBJECT = 998;
const MAX_METADATA_BYTES = 10_000;
const MAX_VARIABLES_BYTES = 250_000;

/** Fields of every email, however it is delivered. */
export class EmailRequest {
  @IsAddressList()
  to!: string | string[];

  /** Despite its name, this is a campaign name; an ID is accepted too. */
  @IsOptional()
  @IsWellFormed()
  @IsString({ message: 'campaignId must be a string' })
  campaignId?: string;

  @IsOptional()
  @IsJsonWithin(MAX_METADATA_BYTES)
  @IsObject({ message: 'metadata must be a JSON object' })
  metadata?: Record<string, unknown>;

  @IsOptional()
  @IsTagList()
  tags?: string[];
}

/**
 * Refuses a subject that is empty, too long or no header text. The first rule that fails is reported.
 * @param exception names what replaces a subject
 */
export function IsSubject(exception = ''): PropertyDecorator {
  return applyDecorators(
    IsString({ message: `subject is required and must be a string${exception}` }),
    MinLength(1, { message: 'subject must not be empty' }),
    MaxLength(MAX_SUBJECT, { message: `subject must have at most ${MAX_SUBJECT} characters` }),
    IsHeaderText(),
  );
}

/** For a subject that a template makes: counts its characters as `IsSubject` does. */
export function isLongSubject(subject: string): boolean {
  return !maxLength(subject, MAX_SUBJECT);
}

/**
 * Refuses HTML that is empty or too long. The first rule that fails is reported.
 * @param exception names what replaces HTML
 */
export function IsHtml(exception = ''): PropertyDecorator {
  return applyDecorators(
    IsString({ message: `htmlContent is required and must be a string${exception}` }),
    MinLength(1, { message: 'htmlContent must not be empty' }),
    HasBytesWithin(MAX_HTML_BYTES, { message: 'htmlContent must be at most 5 MB' }),
    IsWellFormed(),
  );
}

/** Refuses text that is empty or too long. */
export function IsTextPart(): PropertyDecorator {
  return applyDecorators(
    IsString({ message: 'textContent must be a string' }),
    MinLength(1, { message: 'textContent must not be empty' }),
    HasBytesWithin(MAX_TEXT_BYTES, { message: 'textContent must be at most 1 MB' }),
    IsWellFormed(),
  );
}

interface Body {
  readonly subject?: unknown;
  readonly htmlContent?: unknown;
  readonly textContent?: unknown;
  readonly templateId?: unknown;
}

/** A subject that a template can provide instead. */
export function IsSubjectUnlessTemplated(): PropertyDecorator {
  return applyDecorators(
    ValidateIf(({ subject, templateId }: Body) => subject !== undefined || templateId === undefined),
    IsSubject(', unless templateId is given'),
  );
}

/** HTML that a text or a template can replace. */
export function IsHtmlUnlessReplaced(): PropertyDecorator {
  return applyDecorators(
    ValidateIf(({ htmlContent, textContent, templateId }: Body) => {
      return htmlContent !== undefined || (textContent === undefined && templateId === undefined);
    }),
    IsHtml(', unless textContent or templateId is given'),
  );
}

/** Custom headers; `readHeaders` checks each. */
export function AreHeaders(): PropertyDecorator {
  return applyDecorators(IsOptional(), IsObject({ message: 'headers must be a JSON object' }));
}

/** Files to send; `takeAttachments` checks and decodes each. */
export function AreAttachments(): PropertyDecorator {
  return applyDecorators(IsOptional(), IsArray({ message: 'attachments must be an array' }));
}

/** Values of variables by name. */
export function IsVariables(): PropertyDecorator {
  return applyDecorators(IsObject({ message: 'variables must be a JSON object' }), IsJsonWithin(MAX_VARIABLES_BYTES));
}

/** The order of its fields is part of the hash that identifies a repeated request (`readIdempotency`). */
export class SendRequest extends EmailRequest {
  @IsSubjectUnlessTemplated()
  subject?: string;

  @IsHtmlUnlessReplaced()
  htmlContent?: string;

  /** Its subject, HTML and text replace those that the request omits. */
  @IsOptional()
  @IsString({ message: 'templateId must be a string' })
  templateId?: string;

  /** With them, subject, HTML and text are templates. */
  @IsOptional()
  @IsVariables()
  variables?: Record<string, unknown>;

  @IsOptional()
  @IsBoolean({ message: 'strict must be true or false' })
  strict?: boolean;

  /** Sent unchanged, instead of the text that we derive from the HTML. */
  @IsOptional()
  @IsTextPart()
  textContent?: string;

  @AreHeaders()
  headers?: Record<string, unknown>;

  @AreAttachments()
  attachments?: unknown[];

  @IsHeaderText()
  @IsString({ message: 'from is required and must be a string' })
  from!: string;

  @IsOptional()
  @IsHeaderText()
  @IsString({ message: 'replyTo must be a string' })
  replyTo?: string;

  @IsOptional()
  @IsAddressList()
  cc?: string | string[];

  @IsOptional()
  @IsAddressList()
  bcc?: string | string[];

  @IsOptional()
  @IsSendAt()
  sendAt?: string;

  @IsOptional()
  @IsBoolean({ message: 'unsubscribe must be true or false' })
  unsubscribe?: boolean;
}

/** A request with checked headers, null if it has none, and decoded attachments. */
export type DecodedRequest = Omit<SendRequest, 'headers' | 'attachments'> & {
  readonly headers: MessageHeaders | null;
  readonly attachments: readonly NewAttachment[];
};

/** For mail that another provider delivers: the sender is only recorded. */
export class TrackRequest extends EmailRequest {
  @IsSubject()
  subject!: string;

  @IsHtml()
  htmlContent!: string;

  @IsOptional()
  @IsHeaderText()
  @IsString({ message: 'from must be a string' })
  from?: string;
}
