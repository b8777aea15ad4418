import { IsBoolean, IsInt, IsOptional, IsString, MaxLength, Min, MinLength } from 'class-validator';
import { IsHtml, IsSubject, IsTextPart, IsVariables } from '../emails/accept/content-rules.js';
import { IsWellFormed } from '../platform/http/storable-text.js';

export const MAX_TEMPLATE_NAME = 200;

export class TemplateRequest {
  @IsWellFormed()
  @MaxLength(MAX_TEMPLATE_NAME, { message: `name must have at most ${MAX_TEMPLATE_NAME} characters` })
  @MinLength(1, { message: 'name must not be empty' })
  @IsString({ message: 'name is required and must be a string' })
  name!: string;

  @IsWellFormed()
  @IsSubject()
  subject!: string;

  @IsHtml()
  htmlContent!: string;

  @IsOptional()
  @IsTextPart()
  textContent?: string;
}

/** The content of the next version. */
export class ChangeTemplateRequest extends TemplateRequest {
  /** The version that the change was made to; without it, the change replaces whatever is stored. */
  @IsOptional()
  @Min(1, { message: 'version must be a whole number from 1' })
  @IsInt({ message: 'version must be a whole number from 1' })
  version?: number;
}

export class RenderTemplateRequest {
  @IsOptional()
  @IsVariables()
  variables?: Record<string, unknown>;

  @IsOptional()
  @IsBoolean({ message: 'strict must be true or false' })
  strict?: boolean;
}

/** A template that is not saved, with values for its variables. */
export class RenderDraftRequest extends RenderTemplateRequest {
  @IsWellFormed()
  @IsSubject()
  subject!: string;

  @IsHtml()
  htmlContent!: string;

  @IsOptional()
  @IsTextPart()
  textContent?: string;
}
