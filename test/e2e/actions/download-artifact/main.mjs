import path from 'node:path';
import { pathToFileURL } from 'node:url';

const modules = path.join(process.env.E2E_MODULES, '@actions/artifact/lib/artifact.js');
const { DefaultArtifactClient } = await import(pathToFileURL(modules));

const [repositoryOwner, repositoryName] = process.env.GITHUB_REPOSITORY.split('/');
const findBy = { repositoryOwner, repositoryName, token: process.env['INPUT_GITHUB-TOKEN'], workflowRunId: Number(process.env['INPUT_RUN-ID']) };
const client = new DefaultArtifactClient();
const { artifact } = await client.getArtifact(process.env.INPUT_NAME, { findBy });
const to = path.join(process.env.GITHUB_WORKSPACE, process.env.INPUT_PATH);
const got = await client.downloadArtifact(artifact.id, { path: to, expectedHash: artifact.digest, findBy });
if (got.digestMismatch) throw new Error('the digest differs');
