import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';

export const MAX_BATCH_EMAILS = 500;
const SIZE = { message: `emails must have 1 to ${MAX_BATCH_EMAILS} messages` };

export class BatchRequest {
  /** Each message is checked separately. */
  @ArrayMaxSize(MAX_BATCH_EMAILS, SIZE)
  @ArrayMinSize(1, SIZE)
  @IsArray({ message: 'emails is required and must be an array' })
  emails!: unknown[];
}
