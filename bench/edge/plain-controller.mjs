import { Buffer } from 'node:buffer';
import 'reflect-metadata';
import process from 'node:process';
import { Controller, Get, Module, Param, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from 'nestjs-platform-express';
import pg from 'pg';

// A naive implementation: a Nest controller on Express that stores each hit with a separate statement.
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICTAEAOw==', 'base64');
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

class HitsController {
  async open(trackingId, response) {
    await pool.query('insert into hits (tracking_id, type) values ($1, $2)', [trackingId, 'opened']);
    response.set({ 'Content-Type': 'image/gif', 'Cache-Control': 'no-store' }).send(PIXEL);
  }
}

// Decorators, applied by hand because this is plain JavaScript.
const { prototype } = HitsController;
Param('trackingId')(prototype, 'open', 0);
Res()(prototype, 'open', 1);
Get('o/:trackingId')(prototype, 'open', Object.getOwnPropertyDescriptor(prototype, 'open'));
Reflect.defineMetadata('design:paramtypes', [String, Object], prototype, 'open');
Controller('api/t')(HitsController);

class HitsModule {}
Module({ controllers: [HitsController] })(HitsModule);

await pool.query(`create table if not exists hits (
  id bigint generated always as identity primary key,
  tracking_id text not null,
  type text not null,
  at timestamptz not null default now()
)`);
const app = await NestFactory.create(HitsModule, new ExpressAdapter(), { logger: ['error'] });
await app.listen(Number(process.env.PORT), '127.0.0.1');
