import { Module } from '@nestjs/common';
import { KeyDirectory } from './key-directory.js';
import { KeyRows } from './key-rows.js';
import { Organizations } from './organizations.js';
import { Plans } from './plans.js';

@Module({
  providers: [Plans, Organizations, KeyRows, KeyDirectory],
  exports: [Plans, Organizations, KeyDirectory],
})
export class OrganizationsModule {}
