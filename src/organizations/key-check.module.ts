import { Global, Module } from '@nestjs/common';
import { SessionsModule } from '../users/sessions/sessions.module.js';
import { KeyCheck } from './key-check.js';
import { KeyLookupModule } from './key-lookup.module.js';

/** The check of keys and sessions of API requests. */
@Global()
@Module({ imports: [KeyLookupModule, SessionsModule], providers: [KeyCheck], exports: [KeyCheck] })
export class KeyCheckModule {}
