import { applyDecorators } from '@nestjs/common';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { addressKey, parseMailbox } from '../../emails/mailbox.js';
import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import { isUuid } from '../../platform/clock/uuid-v7.js';

const MAX_TEXT = 1_024;

/** A text whose length is limited. Its content is checked where it is used. */
function IsShortText(): PropertyDecorator {
  return applyDecorators(
    MaxLength(MAX_TEXT, { message: `$property must have at most ${MAX_TEXT} characters` }),
    IsString({ message: '$property is required and must be a string' }),
  );
}

export class SignInRequest {
  @IsOptional()
  @IsShortText()
  email?: string;

  @IsOptional()
  @IsShortText()
  password?: string;

  /** Token of a sign-in link, instead of email and password. */
  @IsOptional()
  @IsShortText()
  token?: string;

  @IsOptional()
  @IsShortText()
  code?: string;
}

export class SetPasswordRequest {
  @IsShortText()
  token!: string;

  @IsShortText()
  password!: string;
}

export class ChangePasswordRequest {
  @IsShortText()
  currentPassword!: string;

  @IsShortText()
  newPassword!: string;
}

export class ChooseOrganizationRequest {
  @IsShortText()
  organizationId!: string;
}

export class ForgottenPasswordRequest {
  @IsShortText()
  email!: string;
}

export class AddFactorRequest {
  @IsOptional()
  @IsShortText()
  password?: string;
}

export class ConfirmFactorRequest {
  @IsShortText()
  code!: string;
}

export class RemoveFactorRequest extends AddFactorRequest {
  @IsShortText()
  code!: string;
}

/** @returns the address in lower case. @throws InvalidFieldError */
export function readEmail(text: string): string {
  const email = emailOfUser(text);
  if (email === undefined) throw new InvalidFieldError('email', 'must be one email address like jane@example.com');
  return email;
}

/** @returns the address in the form in which users have theirs; undefined for any other text */
export function emailOfUser(text: string): string | undefined {
  const mailbox = parseMailbox(text);
  return mailbox?.name === undefined ? mailbox && addressKey(mailbox.address) : undefined;
}

/** @throws InvalidFieldError */
export function readOrganizationId({ organizationId }: ChooseOrganizationRequest): string {
  if (!isUuid(organizationId)) throw new InvalidFieldError('organizationId', 'must be the ID of an organization');
  return organizationId.toLowerCase();
}

/** Either a link's token, or email and password. @throws InvalidFieldError */
export function readSignIn({
  email,
  password,
  token,
}: SignInRequest): { readonly token: string } | { readonly email: string; readonly password: string } {
  if (token !== undefined && email === undefined && password === undefined) return { token };
  if (token !== undefined) throw new InvalidFieldError('token', 'cannot be combined with email or password');
  if (email === undefined) throw new InvalidFieldError('email', 'is required');
  if (password === undefined) throw new InvalidFieldError('password', 'is required');
  return { email: readEmail(email), password };
}
