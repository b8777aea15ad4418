import { applyDecorators } from '@nestjs/common';
import { IsArray, IsObject, IsOptional, IsString, maxLength, MaxLength, MinLength, ValidateIf } from 'class-validator';
import { IsWellFormed } from '../../platform/http/storable-text.js';
import { HasBytesWithin, IsHeaderText } from './field-rules.js';
import { IsJsonWithin } from './json-size.js';

export const MAX_HTML_BYTES = 5 * 1024 * 1024;
export const MAX_TEXT_BYTES = 1024 * 1024;
export const MAX_SUBJECT = 998;
const MAX_VARIABLES_BYTES = 250_000;

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
