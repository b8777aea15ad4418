import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { RequestCheck } from '../../platform/http/request-check.js';
import { OwnPage } from './own-page.js';

/**
 * Admits requests of people who are not signed in yet, if our own page makes them, so that no other page can sign them
 * in.
 */
@Injectable()
export class SignInCheck implements RequestCheck {
  constructor(private readonly ownPage: OwnPage) {}

  admit(request: FastifyRequest): void {
    this.ownPage.require(request);
  }
}
