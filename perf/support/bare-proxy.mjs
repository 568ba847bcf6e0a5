/** The least that a proxy does with node:http and undici: whole bodies both ways, nothing looked at. */
import { createServer } from 'node:http';
import { Pool } from 'undici';
import { serveMeasurements } from './process.mjs';

const pool = new Pool(`http://127.0.0.1:${process.argv[2]}`, { connections: 256 });

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    forward(request, response, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  });
});

async function forward(request, response, body) {
  const { 'content-type': type, soapaction } = request.headers;
  const answer = await pool.request({
    method: 'POST',
    path: '/ws',
    headers: { 'content-type': type, soapaction },
    body,
  });
  const chunks = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
  response.writeHead(answer.statusCode, {
    'content-type': answer.headers['content-type'],
    'content-length': bytes.length,
  });
  response.end(bytes);
}

server.listen(0, '127.0.0.1', () => serveMeasurements({ port: server.address().port }));
