import { IsString } from 'class-validator';
import { IsWellFormed } from '../platform/http/storable-text.js';

/** The body that adds a sending domain or a tracking domain. */
export class CreateDomainRequest {
  @IsWellFormed()
  @IsString({ message: 'domain is required and must be a string' })
  domain!: string;
}
