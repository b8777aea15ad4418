import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { InvalidKeyError } from './access-errors.js';
import './current-caller.js';

/**
 * Marks controllers that require a key, and rejects requests without a caller. `KeyCheck` verifies the key itself
 * before the body is read, which is before any guard runs.
 */
@Injectable()
export class KeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (!context.switchToHttp().getRequest<FastifyRequest>().caller) throw new InvalidKeyError();
    return true;
  }
}
