import { IsInt, IsOptional, IsString, Max, MaxLength, Min, MinLength } from 'class-validator';
import type { MessageHeaders } from '../emails/accept/message-headers.js';
import type { NewAttachment } from '../emails/attachments/attachment.js';
import { IsHeaderText, IsTagList } from '../emails/accept/field-rules.js';
import {
  AreAttachments,
  AreHeaders,
  IsHtmlUnlessReplaced,
  IsSubjectUnlessTemplated,
  IsTextPart,
} from '../emails/accept/content-rules.js';
import { IsSendAt } from '../emails/schedule/send-at.js';
import { IsWellFormed } from '../platform/http/storable-text.js';

/** As for campaigns, because a broadcast can give its name to one. */
export const MAX_BROADCAST_NAME = 200;
export const MAX_PACE = 1_000_000;

export class CreateBroadcastRequest {
  @IsWellFormed()
  @MaxLength(MAX_BROADCAST_NAME, { message: `name must have at most ${MAX_BROADCAST_NAME} characters` })
  @MinLength(1, { message: 'name must not be empty' })
  @IsString({ message: 'name is required and must be a string' })
  name!: string;

  @IsHeaderText()
  @IsString({ message: 'from is required and must be a string' })
  from!: string;

  @IsOptional()
  @IsHeaderText()
  @IsString({ message: 'replyTo must be a string' })
  replyTo?: string;

  @IsSubjectUnlessTemplated()
  subject?: string;

  @IsHtmlUnlessReplaced()
  htmlContent?: string;

  /** Its subject, HTML and text replace those that the request omits. */
  @IsOptional()
  @IsString({ message: 'templateId must be a string' })
  templateId?: string;

  /** Replaces the text that we derive from the HTML. */
  @IsOptional()
  @IsTextPart()
  textContent?: string;

  @AreHeaders()
  headers?: Record<string, unknown>;

  @AreAttachments()
  attachments?: unknown[];

  @IsOptional()
  @IsTagList()
  tags?: string[];

  /** The name or ID of a campaign; without it, a campaign with the name of the broadcast is created. */
  @IsOptional()
  @IsWellFormed()
  @IsString({ message: 'campaignId must be a string' })
  campaignId?: string;

  /** Emails per minute. */
  @IsOptional()
  @Max(MAX_PACE, { message: `pace must be at most ${MAX_PACE}` })
  @Min(1, { message: 'pace must be at least 1' })
  @IsInt({ message: 'pace must be a whole number of emails per minute' })
  pace?: number;

  @IsOptional()
  @IsSendAt()
  sendAt?: string;
}

/** The new content of a draft. */
export class ChangeBroadcastRequest extends CreateBroadcastRequest {
  /** The version of the draft that the change was made to; without it, the change replaces whatever is stored. */
  @IsOptional()
  @IsString({ message: 'version must be a string' })
  version?: string;
}

/** Which draft is sent. */
export class SendBroadcastRequest {
  /** The version that is sent; without it, whatever is stored. */
  @IsOptional()
  @IsString({ message: 'version must be a string' })
  version?: string;
}

/** A request with checked headers and decoded attachments; each is undefined if the request has none. */
export type DecodedBroadcast = Omit<CreateBroadcastRequest, 'headers' | 'attachments'> & {
  readonly headers: MessageHeaders | null;
  readonly attachments: readonly NewAttachment[] | undefined;
};
