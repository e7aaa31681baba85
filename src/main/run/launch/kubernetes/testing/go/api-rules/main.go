// Reads Kubernetes objects (YAML documents) as the API server does when they are created: strict decoding, defaults, its own
// preparation, validation and warnings; and holds the pods of jobs against the Pod Security Standard "restricted". Prints an object
// a line, and what is wrong with it; exit code 1 where something is.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	podsecurity "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

func strategyOf(object runtime.Object) (rest.RESTCreateStrategy, error) {
	switch one := object.(type) {
	case *batch.Job:
		return job.Strategy, nil
	case *core.Service:
		// The server gives a Service its addresses; "None" is copied.
		one.Spec.ClusterIPs = []string{one.Spec.ClusterIP}
		families := core.IPFamilyPolicySingleStack
		one.Spec.IPFamilyPolicy, one.Spec.IPFamilies = &families, []core.IPFamily{core.IPv4Protocol}
		return service.Strategy, nil
	case *core.Secret:
		return secret.Strategy, nil
	case *core.ConfigMap:
		return configmap.Strategy, nil
	}
	return nil, errors.New("no rules for this kind")
}

func create(versioned runtime.Object) []string {
	legacyscheme.Scheme.Default(versioned)
	object, err := legacyscheme.Scheme.ConvertToVersion(versioned, runtime.InternalGroupVersioner)
	if err != nil {
		return []string{"not converted: " + err.Error()}
	}
	strategy, err := strategyOf(object)
	if err != nil {
		return []string{err.Error()}
	}
	meta := object.(metav1.Object)
	if meta.GetNamespace() == "" {
		meta.SetNamespace("default")
	}
	rest.FillObjectMetaSystemFields(meta)
	ctx := request.WithNamespace(context.Background(), meta.GetNamespace())
	if err := rest.BeforeCreate(strategy, ctx, object); err != nil {
		return []string{err.Error()}
	}
	return strategy.WarningsOnCreate(ctx, object)
}

func notRestricted(evaluator policy.Evaluator, object runtime.Object) []string {
	one, isJob := object.(*batchv1.Job)
	if !isJob {
		return nil
	}
	level := podsecurity.LevelVersion{Level: podsecurity.LevelRestricted, Version: podsecurity.LatestVersion()}
	var reasons []string
	for _, result := range evaluator.EvaluatePod(level, &one.Spec.Template.ObjectMeta, &one.Spec.Template.Spec) {
		if !result.Allowed {
			reasons = append(reasons, "not restricted: "+result.ForbiddenReason+": "+result.ForbiddenDetail)
		}
	}
	return reasons
}

func main() {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks())
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	decoder := serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewDocumentDecoder(os.Stdin)
	buffer := make([]byte, 8<<20)
	code := 0
	for {
		size, err := documents.Read(buffer)
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println("unreadable:", err)
			os.Exit(2)
		}
		object, kind, err := decoder.Decode(buffer[:size], nil, nil)
		if err != nil {
			fmt.Println("not decoded:", err)
			code = 1
			continue
		}
		problems := append(notRestricted(evaluator, object), create(object)...)
		fmt.Printf("%s %s: %d problems\n", kind.Kind, object.(metav1.Object).GetName(), len(problems))
		for _, problem := range problems {
			fmt.Println("  " + problem)
			code = 1
		}
	}
	os.Exit(code)
}
