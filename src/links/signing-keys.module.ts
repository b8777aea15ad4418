import { Global, Module } from '@nestjs/common';
import { SigningKeyRing } from './signing-key-ring.js';

/** The keys behind tracking IDs and links, for every role that makes or reads them. */
@Global()
@Module({ providers: [SigningKeyRing], exports: [SigningKeyRing] })
export class SigningKeysModule {}
