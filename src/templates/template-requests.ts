import { applyDecorators } from '@nestjs/common';
import { IsBoolean, IsObject, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { HasBytesWithin, IsHeaderText } from '../emails/accept/field-rules.js';
import { IsJsonWithin } from '../emails/accept/json-size.js';
import { MAX_HTML_BYTES, MAX_SUBJECT, MAX_TEXT_BYTES } from '../emails/accept/send-request.js';
import { IsWellFormed } from '../platform/http/storable-text.js';

export const MAX_TEMPLATE_NAME = 200;
const MAX_VARIABLES_BYTES = 250_000;

/** Values of variables by name. */
export const IsVariables = (): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    IsJsonWithin(MAX_VARIABLES_BYTES),
    IsObject({ message: 'variables must be a JSON object' }),
  );

/** A template, or its next version. */
export class TemplateRequest {
  @IsWellFormed()
  @MaxLength(MAX_TEMPLATE_NAME, { message: `name must have at most ${MAX_TEMPLATE_NAME} characters` })
  @MinLength(1, { message: 'name must not be empty' })
  @IsString({ message: 'name is required and must be a string' })
  name!: string;

  @IsHeaderText()
  @IsWellFormed()
  @MaxLength(MAX_SUBJECT, { message: `subject must have at most ${MAX_SUBJECT} characters` })
  @MinLength(1, { message: 'subject must not be empty' })
  @IsString({ message: 'subject is required and must be a string' })
  subject!: string;

  @IsWellFormed()
  @HasBytesWithin(MAX_HTML_BYTES, { message: 'htmlContent must be at most 5 MB' })
  @MinLength(1, { message: 'htmlContent must not be empty' })
  @IsString({ message: 'htmlContent is required and must be a string' })
  htmlContent!: string;

  @IsOptional()
  @IsWellFormed()
  @HasBytesWithin(MAX_TEXT_BYTES, { message: 'textContent must be at most 1 MB' })
  @MinLength(1, { message: 'textContent must not be empty' })
  @IsString({ message: 'textContent must be a string' })
  textContent?: string;
}

export class RenderTemplateRequest {
  @IsVariables()
  variables?: Record<string, unknown>;

  @IsOptional()
  @IsBoolean({ message: 'strict must be true or false' })
  strict?: boolean;
}
