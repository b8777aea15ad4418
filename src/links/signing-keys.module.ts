import { Global, Module } from '@nestjs/common';
import { SigningKeyRing } from './signing-key-ring.js';

/** Provides the signing keys to every role that creates or reads tracking IDs and links. */
@Global()
@Module({ providers: [SigningKeyRing], exports: [SigningKeyRing] })
export class SigningKeysModule {}
