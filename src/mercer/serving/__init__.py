"""Predictions over HTTP.

==============  ====================================================================================
`Service`       WSGI application that answers requests with the predictions of a model
`serve`         runs it on a port until the process is ended (waitress)
==============  ====================================================================================
"""

from mercer._doors import publish
from mercer.serving.server import serve
from mercer.serving.service import Service

__all__ = ["Service", "serve"]

publish(__name__, globals())
