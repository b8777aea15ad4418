import { IsBoolean, IsObject, IsOptional, IsString } from 'class-validator';
import {
  AreAttachments,
  AreHeaders,
  IsHtml,
  IsHtmlUnlessReplaced,
  IsSubject,
  IsSubjectUnlessTemplated,
  IsTextPart,
  IsVariables,
} from './content-rules.js';
import { IsJsonWithin } from './json-size.js';
import { IsAddressList, IsHeaderText, IsTagList } from './field-rules.js';
import type { MessageHeaders } from './message-headers.js';
import type { NewAttachment } from '../attachments/attachment.js';
import { IsSendAt } from '../schedule/send-at.js';
import { IsWellFormed } from '../../platform/http/storable-text.js';

const MAX_METADATA_BYTES = 10_000;

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
