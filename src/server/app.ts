import express, { type ErrorRequestHandler, type Express } from 'express';
import { codes } from '../core/codes.js';
import { CountersignError } from '../core/errors.js';
import type { HandlerContext } from './handler-context.js';
import { plainReply } from './replies.js';
import { sendReply } from './reply.js';

/** The Express app behind the data listener: everything that is not a service path. */
export function dataApp(context: HandlerContext): Express {
  const app = bareApp();
  app.use((request, response) => {
    const id = context.newId();
    const error = new CountersignError('HTTP_NOT_FOUND', `there is no service at this path`, {
      details: { found: request.url.slice(0, 200) },
    });
    context.journal.refused(error, { id, service: '-', chain: 'request' });
    void sendReply(response, plainReply(error, { id, timings: undefined }));
  });
  app.use(onError(context));
  return app;
}

/** An app without what Express adds to answers of its own accord: its name, and a hash of every body. */
export function bareApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  return app;
}

/** Nothing of an error is shown (research/security.md LOG-03). */
export function onError(context: HandlerContext): ErrorRequestHandler {
  return (cause: unknown, _request, response, next) => {
    const id = context.newId();
    const error = new CountersignError('INTERNAL', codes.INTERNAL.summary, { cause });
    context.journal.refused(error, { id, service: '-', chain: 'request' });
    if (response.headersSent) next(cause);
    else void sendReply(response, plainReply(error, { id, timings: undefined }));
  };
}
