import { Module } from '@nestjs/common';
import { KeysController } from './keys.controller.js';
import { OrganizationsModule } from './organizations.module.js';

/** The routes of keys, apart from what looks keys up. */
@Module({ imports: [OrganizationsModule], controllers: [KeysController] })
export class KeysModule {}
